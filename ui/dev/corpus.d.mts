export const canary: string;
export const payloads: readonly string[];
export const markdown: readonly string[];
export const ansi: string;
export const all: readonly string[];
export const terminal: readonly string[];
