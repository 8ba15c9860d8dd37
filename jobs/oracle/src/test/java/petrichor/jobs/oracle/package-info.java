/**
 * Flink's DataSet optimizer is the direct descendant of the PACT compiler, so it is asked about the
 * same plans as ours. Where the two choose differently, {@code disagreements.txt} says why.
 */
package petrichor.jobs.oracle;
