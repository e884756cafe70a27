/** A text with a place that the script fills in when a dialog opens. */
export function WithSlot({ text, slot }: { text: (value: string) => string; slot: string }) {
  const mark = '\0';
  const [before, after] = text(mark).split(mark);
  return (
    <>
      {before}
      <span data-slot={slot}></span>
      {after}
    </>
  );
}
