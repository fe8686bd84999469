// What a C++ file keeps to itself: the names in its anonymous namespaces. The release compiles the
// files of a folder together, where two of one name would clash.

/** Starts a line inside a namespace, and ends what one declaration is. */
const begins = /^[A-Za-z_[]/;
const noDeclaration = /^(template|public|private|using namespace|namespace)\b/;
const complete = /[;{]\s*(\/\/.*)?$|= /;

/** A function's name with the types of its parameters: overloads may stand side by side. */
function signature(declaration) {
  const [, name, parameters] = /(\w+)\((.*)$/.exec(declaration) ?? [];
  if (!name) return undefined;
  const types = parameters
    .replace(/\)[^)]*$/, "")
    .split(",")
    .map((one) => one.replace(/=.*/, "").trim().replace(/\s*\b\w+$/, "").trim());
  return `${name}(${types.join(", ")})`;
}

function named(declaration) {
  const type = /^(?:struct|class|enum class|enum|union|using) (\w+)/.exec(declaration);
  if (type) return type[1];
  const value = /(\w+)(?:\[\d*\])?(?: =|\{|;)/.exec(declaration);
  const opening = declaration.indexOf("(");
  if (value && (opening < 0 || value.index < opening)) return value[1];
  return signature(declaration);
}

/** "lb::claude::name" or "lb::claude::name(types)" of each declaration; clang-format leaves them at the start of a line. */
export function ownNames(text) {
  const found = new Set();
  const lines = text.split("\n");
  let space = "";
  let inside = false;
  for (let at = 0; at < lines.length; ++at) {
    const opened = /^namespace ([\w:]+) \{/.exec(lines[at]);
    if (opened) space = opened[1];
    if (lines[at] === "namespace {") inside = true;
    if (lines[at] === "}  // namespace") inside = false;
    if (!inside || !begins.test(lines[at]) || noDeclaration.test(lines[at])) continue;
    let declaration = lines[at];
    while (!complete.test(declaration) && lines[at + 1]?.trim()) declaration += ` ${lines[++at].trim()}`;
    const name = named(declaration);
    if (name) found.add(`${space}::${name}`);
  }
  return [...found];
}
