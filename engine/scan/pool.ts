/**
 * Run `work` over tasks as they are produced, at most `width` at a time. Stops taking tasks when `stopped` says so
 * or a task throws, waits for those in flight, then throws the first error.
 */
export async function pool<T>(
  tasks: AsyncGenerator<T>,
  width: number,
  work: (task: T) => Promise<void>,
  stopped: () => boolean = () => false,
): Promise<void> {
  const failures: unknown[] = [];
  const lane = async (): Promise<void> => {
    while (failures.length === 0 && !stopped()) {
      try {
        const next = await tasks.next();
        if (next.done) return;
        await work(next.value);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: width }, lane));
  await tasks.return(undefined);
  if (failures.length > 0) throw failures[0];
}
