// The agents at a glance: a small face each, drawn by us. Whoever is not named here gets one from its name, always the same.

/** Strokes around the middle of a box of 18 by 18. */
const eyes = {
  arcs: "M4.4 8.1q1.5-2.3 3 0M10.6 8.1q1.5-2.3 3 0",
  brackets: "M7.2 5.4H5v4h2.2M10.8 5.4H13v4h-2.2",
  glasses: "M8 7.4a2 2 0 1 1-4 0 2 2 0 0 1 4 0zM14 7.4a2 2 0 1 1-4 0 2 2 0 0 1 4 0zM8.2 6.9q.8-.6 1.6 0",
  angles: "M7.2 5.6L5 7.5l2.2 1.9M10.8 5.6L13 7.5l-2.2 1.9",
  wink: "M6 6v2.4M10.8 7.6h2.6",
  bars: "M6 5.8v3M12 5.8v3",
  dots: "M5.9 7.2v.6M12.1 7.2v.6",
  tall: "M6 5v3.6M12 5v3.6M4.6 6.8h2.8M10.6 6.8h2.8",
  slants: "M5.2 8.8l1.6-3M12.8 8.8l-1.6-3",
  flat: "M4.6 7.4h2.6M10.8 7.4h2.6",
};
const mouths = {
  smile: "M6.2 11.8q2.8 2.5 5.6 0",
  line: "M6.6 12.6h4.8",
  open: "M10.4 12.5a1.4 1.4 0 1 1-2.8 0 1.4 1.4 0 0 1 2.8 0z",
  wave: "M5.6 12.8q1.7-2 3.4 0t3.4 0",
  side: "M8.2 12.8q2 .2 3.2-1.4",
};
type Face = readonly [keyof typeof eyes, keyof typeof mouths];
const known: Readonly<Record<string, Face>> = {
  "claude-code": ["arcs", "smile"],
  codex: ["brackets", "line"],
  gemini: ["glasses", "smile"],
  opencode: ["angles", "open"],
  demo: ["wink", "side"],
};
const others = ["bars", "dots", "tall", "slants", "flat"] as const;
const otherMouths = ["line", "wave", "open", "smile", "side"] as const;
const kTones = 6;

/** Which face and which colour, from the name alone. */
export function faceOf(cliType: string): { face: Face; tone: string } {
  const own = known[cliType];
  if (own) return { face: own, tone: cliType };
  const sum = [...cliType].reduce((total, char) => (total * 31 + char.codePointAt(0)!) >>> 0, 7);
  const family = Object.keys(known).find((name) => cliType.startsWith(name.split("-")[0]!));
  const face = family
    ? known[family]!
    : ([others[sum % others.length]!, otherMouths[(sum >>> 4) % otherMouths.length]!] as const);
  return { face, tone: `other-${(sum >>> 8) % kTones}` };
}

export function AgentMark({ cliType, name }: { cliType: string; name?: string }) {
  if (cliType === "") return <span class="agent-mark" aria-hidden="true" />; // Not known yet.
  const { face, tone } = faceOf(cliType);
  return (
    <span class={`agent-mark mark-${tone}`} role="img" aria-label={name ?? cliType} title={name ?? cliType}>
      <svg viewBox="1.4 1.4 15.2 15.2" aria-hidden="true">
        <path d={eyes[face[0]] + mouths[face[1]]} />
      </svg>
    </span>
  );
}
