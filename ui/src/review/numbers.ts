// Numbers as they are read in sentences: 12,345.
export const grouped = (n: number): string => n.toLocaleString("en");
