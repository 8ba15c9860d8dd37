/**
 * The document pipeline of the Nephele thesis' chapter 4, tuned from one subtask per task: {@link
 * petrichor.bench.tuning.PipelineExperiment}.
 */
@NullMarked
package petrichor.bench.tuning;

import org.jspecify.annotations.NullMarked;
