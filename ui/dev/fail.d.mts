export function fail(status: number, code: string, message: string, more?: Record<string, unknown>): Error;
export function bodyOf(error: Error): { code: string; message: string };
