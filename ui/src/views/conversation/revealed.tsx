// Text that an agent wrote, shown so that nothing in it hides.
import { nameOf, revealed } from "../../reveal";

/** Words with a hyphen stay whole: a line that ends in "--" and one that begins with "release" are not `--release`. */
function whole(text: string) {
  if (text.length > 4000) return text; // So much is no command to be read word by word.
  return text
    .split(/(\S*-\S*)/)
    .map((part, index) => (index % 2 === 1 ? <span class="whole">{part}</span> : part));
}

/** `words`: a command, whose words are kept whole. */
export function Revealed({ text, words = false }: { text: string; words?: boolean }) {
  return (
    <>
      {revealed(text).map((part, index) =>
        part.hidden ? (
          <mark key={index} class="hidden-char" title={nameOf(part.text)}>
            {part.text}
          </mark>
        ) : words ? (
          whole(part.text)
        ) : (
          part.text
        ),
      )}
    </>
  );
}
