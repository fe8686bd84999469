// Small line icons, drawn with currentColor. Decorative: whatever uses one carries the words itself.
const paths = {
  plus: "M8 3v10M3 8h10",
  close: "M4 4l8 8M12 4l-8 8",
  chevron: "M6 4l4 4-4 4",
  down: "M4 6l4 4 4-4",
  up: "M4 10l4-4 4 4",
  end: "M8 2.5v7.5M4.5 7L8 10.5 11.5 7M3.5 13.5h9",
  search: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM11 11l3 3",
  menu: "M2 4h12M2 8h12M2 12h12",
  more: "M3 8h.01M8 8h.01M13 8h.01",
  inbox: "M2 9l2-6h8l2 6v4H2zM2 9h3.5l1 2h3l1-2H14",
  folder:
    "M2 4.5A1.5 1.5 0 0 1 3.5 3H6l1.5 2h5A1.5 1.5 0 0 1 14 6.5v5a1.5 1.5 0 0 1-1.5 1.5h-9A1.5 1.5 0 0 1 2 11.5z",
  send: "M8 13V3M3.5 7.5L8 3l4.5 4.5",
  refused: "M8 13.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11zM4.2 4.2l7.6 7.6",
  stop: "M4.5 4.5h7v7h-7z",
  check: "M3 8.5l3.2 3.2L13 5",
  alert: "M8 2.5l6.2 11H1.8zM8 6.5v3.2M8 11.6h.01",
  terminal: "M2.5 3.5h11v9h-11zM5 6.5l2 1.7-2 1.7M8.5 10h2.5",
  file: "M4 2h5l3 3v9H4zM9 2v3h3",
  edit: "M3 13l.6-2.8L11 2.8l2.2 2.2-7.4 7.4z",
  globe:
    "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM2 8h12M8 2c2 2 2.4 4 2.4 6S10 12 8 14C6 12 5.6 10 5.6 8S6 4 8 2z",
  trash: "M3 4.5h10M6 4.5V3h4v1.5M4.5 4.5l.6 8.5h5.8l.6-8.5",
  move: "M3 8h10M10 5l3 3-3 3",
  brain:
    "M8 3v10M8 4.5C7 2.6 3.9 3.2 4 5.6 2 6 2 8.8 3.4 9.4 2.9 12 6.6 13.6 8 11.5M8 4.5c1-1.9 4.1-1.3 4 1.1 2 .4 2 3.2.6 3.8.5 2.6-3.2 4.2-4.6 2.1",
  tool: "M9.8 3.2a3.2 3.2 0 0 0-3.9 4.1L2.6 10.6a1.3 1.3 0 0 0 0 1.9l.9.9a1.3 1.3 0 0 0 1.9 0l3.3-3.3a3.2 3.2 0 0 0 4.1-3.9L10.9 8 8.3 7.7 8 5.1z",
  image: "M2.5 3h11v10h-11zM2.5 10.5l3-3 3 3 2-2 3 3M10.5 6h.01",
  attach:
    "M12.5 7.2l-4.9 4.9a2.9 2.9 0 0 1-4.1-4.1l5.2-5.2a1.9 1.9 0 0 1 2.7 2.7l-5.2 5.2a.9.9 0 0 1-1.3-1.3l4.6-4.6",
  copy: "M5.5 5.5h7v8h-7zM3.5 10.5v-8h7",
  link: "M6.8 9.2a2.6 2.6 0 0 0 3.7 0l2-2a2.6 2.6 0 0 0-3.7-3.7l-.9.9M9.2 6.8a2.6 2.6 0 0 0-3.7 0l-2 2a2.6 2.6 0 0 0 3.7 3.7l.9-.9",
  list: "M3 4h.01M3 8h.01M3 12h.01M6 4h7M6 8h7M6 12h7",
  agent:
    "M3 6.5A1.5 1.5 0 0 1 4.5 5h7A1.5 1.5 0 0 1 13 6.5v5a1.5 1.5 0 0 1-1.5 1.5h-7A1.5 1.5 0 0 1 3 11.5zM8 5V2.5M6 8.5v1M10 8.5v1",
  gear: "M8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM8 1.8v2M8 12.2v2M1.8 8h2M12.2 8h2M3.6 3.6L5 5M11 11l1.4 1.4M12.4 3.6L11 5M5 11l-1.4 1.4",
  question: "M6 6a2 2 0 1 1 2.8 1.8c-.5.3-.8.7-.8 1.4M8 11.6h.01M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12z",
  archive: "M2.5 3h11v3h-11zM3.5 6v7h9V6M6.5 8.5h3",
  fork: "M5 2.5v11M11.5 2.5V5a3.5 3.5 0 0 1-3.5 3.5H5M9.5 4.5l2-2 2 2",
  pin: "M5.5 2.5h5M6.5 2.5v4L4.5 9h7l-2-2.5v-4M8 9v4.5",
  retry: "M13 8a5 5 0 1 1-1.6-3.7M13 2.5v2.8h-2.8",
  shield: "M8 2l5 1.8v3.7c0 3-2 5.3-5 6.5-3-1.2-5-3.5-5-6.5V3.8z",
  clock: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 5v3.2l2 1.3",
};
export type IconName = keyof typeof paths;

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      class={`icon icon-${name}`}
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      stroke-width={name === "more" ? 2.2 : 1.4}
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={paths[name]} />
    </svg>
  );
}

export function Logo({ size }: { size: number }) {
  return (
    <svg class="logo" viewBox="0 0 32 32" width={size} height={size} aria-hidden="true">
      <rect width="32" height="32" rx="8" class="logo-box" />
      <path
        d="M10 8v16h12"
        fill="none"
        stroke="#fff"
        stroke-width="3"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
      <circle cx="20.5" cy="12.5" r="3" class="logo-dot" />
    </svg>
  );
}
