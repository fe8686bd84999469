export function unified(
  path: string,
  before: string | undefined,
  now: string | undefined,
  context?: number,
): string;
