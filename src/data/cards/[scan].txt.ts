import { emitCard } from "../../../loaders/card.ts";

await emitCard();
