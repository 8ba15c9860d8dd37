/**
 * Flink's DataSet optimizer is the direct descendant of the PACT compiler, so both are compared on
 * the same plans. Where their choices differ, {@code disagreements.txt} gives the reason.
 */
package petrichor.jobs.oracle;
