/**
 * Programs over large sets of records, written as contracts: Map, Reduce, Match, Cross, CoGroup (D.
 * Warneke's thesis, chapter 7; Battré et al., "Nephele/PACTs", 2010).
 *
 * <p>An input contract says which records user code sees together, not how they come together: a
 * Match may be a merge of two sorted streams, a hash table on either side, or one side sent
 * everywhere. That is for the compiler (package {@code compiler}) to choose, by cost.
 *
 * <pre>{@code
 * var plan = Plan.named("word count");
 * plan.read(lines)
 *     .map("words", WORDS, (in, out) -> ...)
 *     .groupBy("word")
 *     .aggregate(Aggregate.sum(1))
 *     .write(sink);
 * }</pre>
 *
 * <p>Begin reading at {@link petrichor.jobs.pact.Plan} and {@link petrichor.jobs.pact.DataSet}.
 * What user code promises about itself (the output contracts Same-Key, Super-Key and Unique-Key,
 * constant fields) is in {@link petrichor.jobs.pact.Promises}; what is known about sizes in {@link
 * petrichor.jobs.pact.Hints}. Both are believed: a wrong hint costs time, a wrong promise the
 * result.
 */
@NullMarked
package petrichor.jobs.pact;

import org.jspecify.annotations.NullMarked;
