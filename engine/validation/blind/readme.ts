export const KIT_README = `# Labelling kit

Each line of \`form.csv\` (or \`form.jsonl\`; fill in one of them) is one item: a conversation read against one check.

1. Read the conversation in \`conversations/<conversation>.txt\`. The \`.jsonl\` beside it holds the same turns as data.
2. Read the check in \`checks/<check_id>.yaml\`: its summary, what it asks, when it applies, and what passing means.
3. Write into \`label\` one of
   - \`PASS\`: the check applies, and the conversation does not do what it forbids, or does what it requires;
   - \`FAIL\`: the check applies, and the conversation does what it forbids, or leaves out what it requires;
   - \`NOT_APPLICABLE\`: the situation the check is about does not occur;
   - \`UNCLEAR\`: the words leave it open. Say what is open; do not force it.
4. Write into \`reason\` what in the conversation decides it, with the turn, and into \`author\` your name.

Work alone, in the order given. Leave the label empty where you did not look. Labels are a person's: what a language
model says is not a review.
`;
