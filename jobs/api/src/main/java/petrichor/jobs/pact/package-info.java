/**
 * Programs over large sets of records, written as contracts: Map, Reduce, Match, Cross, CoGroup (D.
 * Warneke's thesis, chapter 7; Battré et al., "Nephele/PACTs", 2010).
 *
 * <p>An input contract defines how records are grouped for user code, not how they are brought
 * together: a Match may be a sort-merge join, a hash join with either side as the build side, or a
 * join with one side broadcast. The compiler (package {@code compiler}) chooses by cost.
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
 * <p>Start at {@link petrichor.jobs.pact.Plan} and {@link petrichor.jobs.pact.DataSet}. The
 * promises of user code (the output contracts Same-Key, Super-Key and Unique-Key, constant fields)
 * are in {@link petrichor.jobs.pact.Promises}; the hints about sizes in {@link
 * petrichor.jobs.pact.Hints}. Both are trusted: a wrong hint costs time, a wrong promise corrupts
 * the result.
 */
@NullMarked
package petrichor.jobs.pact;

import org.jspecify.annotations.NullMarked;
