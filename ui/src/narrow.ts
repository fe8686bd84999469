/** A phone, or a window as narrow as one: the sidebar lies above the conversation (src/styles/layout.css). */
export const narrow = matchMedia("(max-width: 760px)");
