/** A refusal, as the server's: `more` is what goes with it (docs/wire.md, errors). */
export const fail = (status, code, message, more = {}) =>
  Object.assign(new Error(message), { status, code, more });
/** What is sent of an error. */
export const bodyOf = (error) => ({
  code: error.code ?? "ERROR",
  message: error.message,
  ...error.more,
});
