// A session that the server has not made yet has an id of the page's own. The server never sees it.
const kPrefix = "new:";

export const temporaryId = () => kPrefix + crypto.randomUUID();
export const isTemporary = (sessionId: string) => sessionId.startsWith(kPrefix);
