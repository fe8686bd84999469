/** The kinds of images that the page takes, sends and shows, in a message and in an answer. */
export const kImageTypes: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];
