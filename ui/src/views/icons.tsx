// Small line icons, drawn with currentColor. Decorative: whatever uses one carries the words itself.
import type { MoreIcons } from "./more_icons";

const paths = {
  plus: "M8 3v10M3 8h10",
  close: "M4 4l8 8M12 4l-8 8",
  chevron: "M6 4l4 4-4 4",
  down: "M4 6l4 4 4-4",
  search: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM11 11l3 3",
  menu: "M2 4h12M2 8h12M2 12h12",
  more: "M3 8h.01M8 8h.01M13 8h.01",
  inbox: "M2 9l2-6h8l2 6v4H2zM2 9h3.5l1 2h3l1-2H14",
  check: "M3 8.5l3.2 3.2L13 5",
  alert: "M8 2.5l6.2 11H1.8zM8 6.5v3.2M8 11.6h.01",
  copy: "M5.5 5.5h7v8h-7zM3.5 10.5v-8h7",
  list: "M3 4h.01M3 8h.01M3 12h.01M6 4h7M6 8h7M6 12h7",
  agent:
    "M3 6.5A1.5 1.5 0 0 1 4.5 5h7A1.5 1.5 0 0 1 13 6.5v5a1.5 1.5 0 0 1-1.5 1.5h-7A1.5 1.5 0 0 1 3 11.5zM8 5V2.5M6 8.5v1M10 8.5v1",
  gear: "M8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM8 1.8v2M8 12.2v2M1.8 8h2M12.2 8h2M3.6 3.6L5 5M11 11l1.4 1.4M12.4 3.6L11 5M5 11l-1.4 1.4",
  question: "M6 6a2 2 0 1 1 2.8 1.8c-.5.3-.8.7-.8 1.4M8 11.6h.01M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12z",
  archive: "M2.5 3h11v3h-11zM3.5 6v7h9V6M6.5 8.5h3",
  pin: "M5.5 2.5h5M6.5 2.5v4L4.5 9h7l-2-2.5v-4M8 9v4.5",
  retry: "M13 8a5 5 0 1 1-1.6-3.7M13 2.5v2.8h-2.8",
  shield: "M8 2l5 1.8v3.7c0 3-2 5.3-5 6.5-3-1.2-5-3.5-5-6.5V3.8z",
  branch:
    "M5 4.5v7M5 4.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM5 14.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM11 6.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM11 6.5C11 9 5 8 5 11.5",
};
export type IconName = keyof typeof paths | keyof MoreIcons;
const known: Partial<Record<IconName, string>> = paths;

/** Those that the first picture has no use for come with the conversation. */
export const addIcons = (more: MoreIcons) => void Object.assign(known, more);

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
      <path d={known[name]} />
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
