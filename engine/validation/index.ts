export {
  countAgreement,
  countRows,
  type Agreement,
  type AgreementCounter,
  type AgreementCounts,
  type AgreementRow,
  type Share,
} from "./agreement.ts";
export { bindExpectations, type Binding, type BoundExpectation, type UnboundExpectation } from "./bind.ts";
export { isModelAuthor } from "./blind/authors.ts";
export { exportKit, keyFileOf, type ExportedKit, type KitOptions } from "./blind/kit.ts";
export { importReviews, type Review, type ReviewedItem } from "./blind/review.ts";
export { classify, emptyMatrix, transitionsOf, type Matrix } from "./classify.ts";
export { embeddedExpectations, frozenExpectations, type Attachment } from "./embedded.ts";
export { expectationKey, identityOf, parseExpectations } from "./expectations.ts";
export {
  boundaryAgreement,
  boundaryPlaces,
  pairConsistency,
  pairShare,
  type BoundaryResult,
  type PairResult,
} from "./pairs.ts";
export { frozenTrivialVerdicts } from "./frozen-power.ts";
export {
  powerOf,
  TRIVIAL_JUDGES,
  trivialVerdicts,
  type Power,
  type StudyCase,
  type TrivialJudge,
  type TrivialVerdict,
} from "./power.ts";
export { readExpectations } from "./read-expectations.ts";
export { applicableExpectations, requireBound, unboundRow } from "./precedence.ts";
