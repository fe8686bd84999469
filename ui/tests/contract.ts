// What the page and its world say to each other is checked against docs/wire.schema.json, both ways: a second server must
// not drift away from the real one. Stricter than the wire itself, which ignores fields it does not know: here a field that
// nobody described is a mistake.
import document from "../../docs/wire.schema.json";
import { COMMANDS } from "../src/wire";
import wireSource from "../src/wire.ts?raw";

interface Schema {
  $ref?: string;
  type?: string;
  const?: unknown;
  enum?: unknown[];
  pattern?: string;
  format?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema;
  items?: Schema;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
}
const types = document.$defs as unknown as Record<string, Schema>;

/** What is wrong with a value, and which of its fields were described. */
interface Found {
  wrong: string[];
  fields: Set<string> | "any";
}
type Json = Record<string, unknown>;
const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isOfType: Record<string, (value: unknown) => boolean> = {
  object: isObject,
  array: Array.isArray,
  string: (value) => typeof value === "string",
  integer: Number.isInteger,
  number: (value) => typeof value === "number",
  boolean: (value) => typeof value === "boolean",
  null: (value) => value === null,
};
const kDateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

function simple(schema: Schema, value: unknown, at: string): string[] {
  const wrong: string[] = [];
  const say = (text: string) => wrong.push(`${at}: ${text}, got ${JSON.stringify(value)?.slice(0, 80)}`);
  if (schema.type && !isOfType[schema.type]!(value)) say(`not a ${schema.type}`);
  if ("const" in schema && value !== schema.const) say(`not ${JSON.stringify(schema.const)}`);
  if (schema.enum && !schema.enum.includes(value)) say(`not one of ${schema.enum.join(", ")}`);
  if (schema.pattern && typeof value === "string" && !new RegExp(schema.pattern).test(value))
    say(`does not match ${schema.pattern}`);
  if (schema.format === "date-time" && !kDateTime.test(String(value))) say("not a timestamp");
  return wrong;
}

/** Everything that the schema says of this one value; fields that no part of it names are for the caller to judge. */
function look(schema: Schema, value: unknown, at: string): Found {
  if (schema.$ref) return look(types[schema.$ref.replace("#/$defs/", "")]!, value, at);
  const wrong = simple(schema, value, at);
  let fields: Found["fields"] = new Set(Object.keys(schema.properties ?? {}));
  if (schema.type === "object" && !schema.properties && !schema.oneOf && !schema.allOf) fields = "any";
  if (isObject(value)) {
    for (const name of schema.required ?? []) if (!(name in value)) wrong.push(`${at}.${name}: missing`);
    for (const [name, part] of Object.entries(schema.properties ?? {}))
      if (name in value) wrong.push(...check(part, value[name], `${at}.${name}`));
    if (schema.additionalProperties)
      for (const [name, part] of Object.entries(value))
        if (!schema.properties?.[name])
          wrong.push(...check(schema.additionalProperties, part, `${at}.${name}`));
    if (schema.additionalProperties) fields = "any";
  }
  if (schema.items && Array.isArray(value))
    value.forEach((part, index) => wrong.push(...check(schema.items!, part, `${at}[${index}]`)));
  const parts = (schema.allOf ?? []).map((part) => look(part, value, at));
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices) parts.push(nearest(choices.map((part) => look(part, value, at))));
  for (const part of parts) {
    wrong.push(...part.wrong);
    if (fields === "any" || part.fields === "any") fields = "any";
    else part.fields.forEach((name) => (fields as Set<string>).add(name));
  }
  return { wrong, fields };
}

/** The choice that was meant: of messages, the one whose `type` is right. */
function nearest(found: Found[]): Found {
  const named = found.filter(({ wrong }) => !wrong.some((text) => /\.type: (not "|missing)/.test(text)));
  return (named.length > 0 ? named : found).sort((a, b) => a.wrong.length - b.wrong.length)[0]!;
}

function check(schema: Schema, value: unknown, at: string): string[] {
  const { wrong, fields } = look(schema, value, at);
  if (fields !== "any" && isObject(value))
    for (const name of Object.keys(value)) if (!fields.has(name)) wrong.push(`${at}.${name}: not described`);
  return wrong;
}

/** What is wrong with a value that should be `type`. */
export function violations(type: string, value: unknown): string[] {
  const schema = types[type];
  return schema ? check(schema, value, type) : [`${type}: the schema does not have it`];
}

/** Violations of the running test; the set-up fails it when there are any. */
export const broken: string[] = [];
/** As it goes over the wire: what is undefined is not there. */
export function expectWire(type: string, text: string): void {
  broken.push(...violations(type, JSON.parse(text)));
}

interface Call {
  method: string;
  /** `/api/session/{sessionId}/status` */
  path: string;
  request?: string;
  /** Left out where the answer is not JSON. */
  response?: string;
}

/** The server's table of what can be asked over HTTP: where it is from its values, the types from its text. */
const table: Call[] = Object.entries(COMMANDS).map(([name, { method, path }]) => {
  const row = new RegExp(`"${name}": \\{ request: Bare<(\\w+)>; response: Bare<(\\w+)> \\}`).exec(wireSource);
  return { method, path, request: row![1]!, response: row![2]! };
});
const calls: Call[] = [
  ...table,
  { method: "POST", path: "/api/session/{sessionId}/attachment", response: "AttachmentBody" },
  { method: "GET", path: "/api/session/{sessionId}/attachment/{attachmentId}" },
  { method: "GET", path: "/api/session/{sessionId}/item/{itemId}/output" },
  { method: "GET", path: "/api/session/{sessionId}/export" },
  { method: "GET", path: "/api/session/{sessionId}/diff", request: "SessionDiffRequest" },
  { method: "GET", path: "/api/session/{sessionId}/file", request: "SessionFileRequest" },
];
const problem: Schema = { $ref: "#/$defs/ErrorMessage" };

/** A value of the query in the type of its field. */
function typed(type: string, name: string, text: string): unknown {
  const field = types[type]?.properties?.[name]?.type;
  return field === "integer" ? Number(text) : field === "boolean" ? text !== "0" : text;
}

/** `body` is what was sent as JSON; fields of the path and of the query are taken from the address. */
export function httpViolations(
  method: string,
  url: URL,
  body: unknown,
  status: number,
  response: string,
): string[] {
  const found = calls
    .filter((call) => call.method === method)
    .map((call) => ({
      ...call,
      match: new RegExp(`^${call.path.replace(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`).exec(url.pathname),
    }))
    .find(({ match }) => match !== null);
  if (!found) return [`${method} ${url.pathname}: nobody described this call`];
  const { request, response: answer, match } = found;
  const asked = {
    ...(isObject(body) ? body : {}),
    ...match!.groups,
    ...Object.fromEntries(
      [...url.searchParams].map(([name, text]) => [name, typed(request ?? "", name, text)]),
    ),
  };
  return [
    ...(request ? violations(request, asked) : []),
    ...(status >= 400 ? check(problem, JSON.parse(response), `${method} ${found.path} ${status}`) : []),
    ...(status < 400 && answer ? violations(answer, JSON.parse(response)) : []),
  ];
}
export function expectHttp(...call: Parameters<typeof httpViolations>): void {
  broken.push(...httpViolations(...call));
}
