// Makes src/fonts: what the page needs of Inter and JetBrains Mono. Usage: node dev/fonts.mjs [--check]
//
// Letters of Latin writing, signs, arrows; for terminals also boxes, blocks and braille, so that drawings stay in line. What
// turns "->" into an arrow or "!=" into another sign is left out: a command is shown as it is written.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import subsetFont from "subset-font";

const letters = (...ranges) =>
  ranges
    .flatMap(([first, last = first]) =>
      Array.from({ length: last - first + 1 }, (_, index) => String.fromCodePoint(first + index)),
    )
    .join("");
const latin = letters(
  [0x20, 0x7e],
  [0xa0, 0x17f],
  [0x218, 0x21b],
  [0x2010, 0x2027],
  [0x2030, 0x203a],
  [0x2044],
  [0x20ac],
  [0x2116],
  [0x2122],
  [0x2190, 0x2199],
  [0x21b5],
  [0x2212],
  [0x221e],
  [0x2248],
  [0x2260],
  [0x2264, 0x2265],
  [0x25cf],
  [0x2713],
  [0x2717],
  [0xfffd],
);
const terminal = letters(
  [0x370, 0x3ff],
  [0x2190, 0x23ff],
  [0x2500, 0x25ff],
  [0x2600, 0x27bf],
  [0x2800, 0x28ff],
);

const inter = "inter-ui/variable";
const mono = "@expo-google-fonts/jetbrains-mono";
const upright = { keepFeatures: ["kern", "mark", "mkmk", "ccmp", "locl", "tnum"] };
const even = { keepFeatures: ["mark", "mkmk", "ccmp"] };
const weights = { variationAxes: { opsz: 14, wght: { min: 400, max: 700 } } };
const fonts = [
  { name: "inter", from: `${inter}/InterVariable.woff2`, text: latin, options: { ...upright, ...weights } },
  {
    name: "inter-italic",
    from: `${inter}/InterVariable-Italic.woff2`,
    text: latin,
    options: { ...upright, ...weights },
  },
  {
    name: "jetbrains-mono",
    from: `${mono}/400Regular/JetBrainsMono_400Regular.ttf`,
    text: latin + terminal,
    options: even,
  },
  {
    name: "jetbrains-mono-bold",
    from: `${mono}/700Bold/JetBrainsMono_700Bold.ttf`,
    text: latin,
    options: even,
  },
];

const ui = dirname(dirname(fileURLToPath(import.meta.url)));
const check = process.argv.includes("--check");
mkdirSync(join(ui, "src/fonts"), { recursive: true });
for (const { name, from, text, options } of fonts) {
  const source = readFileSync(join(ui, "node_modules", from));
  const made = await subsetFont(source, text, { targetFormat: "woff2", ...options });
  const file = join(ui, `src/fonts/${name}.woff2`);
  if (!check) writeFileSync(file, made);
  else if (!readFileSync(file).equals(made))
    throw new Error(`${name} is another font: node dev/fonts.mjs makes it again`);
}
