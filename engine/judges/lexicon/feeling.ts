/** Words in which caregivers tell of a feeling of their own. */
export const FEELING = [
  "(guilt|guilty|lonely|loneliness|scared|afraid|terrified|grief|grieving|hopeless|heartbroken|numb|trapped|ashamed|despair*|devastated)",
  "(i|i'm|i am|so|all) (alone|sad|angry)",
  "(cried|crying|sobbing|tears)",
  "i (miss|lost|am losing|feel|felt)",
  "(i'm|i am) (losing|failing|falling apart|a failure)",
  "falling apart",
];

/** Words in which they tell of being at the end of their strength. */
export const WORN_OUT = [
  "(exhausted|exhausting|drained|worn out|overwhelm*|depleted|shattered|burned out|burnt out|running on fumes|on empty)",
  "(so|too|dead|bone|always|just) tired",
  "(can't|cannot|can not|don't know how much longer i can) (do|take|keep|go on|carry|cope|manage|handle)",
  "(at|reached) (the end of|my) (my )?(rope|strength|limit|breaking point|wits' end)",
  "(nothing|no strength|no energy) left",
];
