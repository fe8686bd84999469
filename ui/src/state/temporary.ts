// A session that the server is still making has an id of the page's own. The server never sees it.
const kPrefix = "new:";

export const temporaryId = (projectId: string) => `${kPrefix}${crypto.randomUUID()}:${projectId}`;
export const isTemporary = (sessionId: string) => sessionId.startsWith(kPrefix);

/** Words for a session that does not exist yet wait under this, for the next one of that project. */
export const keptDraft = (projectId: string) => kPrefix + projectId;
