// The texts that scenarios answer with.

const kWords =
    ('a journal keeps each event before any reader learns of it and when a window opens again ' +
     'the story goes on from the very place where it stopped with nothing missing or said twice')
        .split(' ');
const kSentence = 12;
const kParagraph = 6 * kSentence;

/// `count` words in sentences and paragraphs; always the same for the same count.
export function prose(count) {
  let out = '';
  for (let i = 0; i < count; i += 1) {
    const word = kWords[(i * 11 + Math.floor(i / 16)) % kWords.length];
    out += i % kSentence === 0 ? word[0].toUpperCase() + word.slice(1) : word;
    const end = i + 1;
    if (end === count || end % kSentence === 0) out += '.';
    if (end === count) break;
    out += end % kParagraph === 0 ? '\n\n' : ' ';
  }
  return out;
}

/// Chunks as a model would send them: words with the blanks around them; joined they are `text`.
export function words(text) {
  return text.match(/\s*\S+\s*/g) ?? (text ? [text] : []);
}

/// At most 60 slices of at least 16 characters; joined they are `text`.
export function slices(text) {
  const size = Math.max(16, Math.ceil(text.length / 60));
  const out = [];
  for (let at = 0; at < text.length; at += size) out.push(text.slice(at, at + size));
  return out;
}

export const kMarkdown = `# A scripted heading

Some **bold**, *italic*, ~~struck~~ and \`code\`, with a [link](https://example.com/?a=1&b=2).

| column | value |
|:-------|------:|
| one    |     1 |
| two    |    22 |

\`\`\`cpp
int main() { return 0; }  // <script>alert("not run")</script>
\`\`\`

1. first
2. second
   - nested
   - [x] done

> A quote & <b>raw html</b> <img src=x onerror=alert(1)>

---

Last line.`;

export const kUnicode =
    'Grüße, Привет, こんにちは, שלום, مرحبا, emoji 👩‍👩‍👧‍👦 🚀, combining e\u0301, zero\u200bwidth, ' +
    'quotes "\' and back\\slash, tab\tend, line separator [\u2028], astral 𝒳.';
