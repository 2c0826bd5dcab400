import { useCallback, useEffect, useRef, useState } from 'react';

const VISIBLE_MS = 6000;

/** Shows one problem at a time for a few seconds. */
export function useToast(): [string | undefined, (problem: string) => void] {
  const [problem, setProblem] = useState<string>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const report = useCallback((text: string) => {
    setProblem(text);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setProblem(undefined), VISIBLE_MS);
  }, []);
  return [problem, report];
}

export function Toast({ problem }: { problem: string | undefined }) {
  return (
    <div className="toast-place" role="alert">
      {problem && <div className="toast">{problem}</div>}
    </div>
  );
}
