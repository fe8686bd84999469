export function unified(
  path: string,
  before: string | undefined,
  now: string | undefined,
  more?: { context?: number; modes?: readonly string[] },
): string;
