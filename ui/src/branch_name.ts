// A name for a branch from the words of a message. Pure.

/** They say nothing about the work. */
const kFillers = new Set(
  "a an and are be can could do for from i if in is it its me my of on our please should so that the then there this to us we will with would you your".split(
    " ",
  ),
);
const kMostWords = 5;
const kMostChars = 40;

/** "Fix the login redirect, please" is `fix-login-redirect`; one that is taken gets a number. Empty where no word will do. */
export function branchName(message: string, taken: readonly string[]): string {
  const words = (message.trim().split("\n")[0] ?? "")
    .normalize("NFKD")
    .replace(/[\u0300-\u036f'’]/g, "")
    .toLowerCase()
    .replaceAll("ß", "ss")
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "" && !kFillers.has(word));
  let name = "";
  for (const word of words.slice(0, kMostWords)) {
    const longer = name === "" ? word.slice(0, kMostChars) : `${name}-${word}`;
    if (longer.length > kMostChars) break;
    name = longer;
  }
  if (name === "") return "";
  let free = name;
  for (let n = 2; taken.includes(free); n++) free = `${name}-${n}`;
  return free;
}
