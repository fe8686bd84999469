// What a dialog asks the server for when it opens.
import { useEffect, useState } from "preact/hooks";

export interface Answer<T> {
  value?: T;
  error?: Error;
}

/** Asked again when `key` changes; until then, and of what was asked before, there is no answer. */
export function useAnswer<T>(key: string, ask: () => Promise<T>): Answer<T> {
  const [answer, setAnswer] = useState<{ key: string; got: Answer<T> }>();
  useEffect(() => {
    let wanted = true;
    const got = (result: Answer<T>) => wanted && setAnswer({ key, got: result });
    ask().then(
      (value) => got({ value }),
      (error: Error) => got({ error }),
    );
    return () => {
      wanted = false;
    };
  }, [key]);
  return answer?.key === key ? answer.got : {};
}
