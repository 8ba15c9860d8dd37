/**
 * Jobs without a server: {@link petrichor.jobs.local.Jobs#local()} compiles a plan and runs it in
 * this process. It connects the compiler and the engine, which are independent of each other;
 * between the parts of a program with iterations, records are kept in files ({@link
 * petrichor.jobs.local.IntermediateRecords}).
 */
@NullMarked
package petrichor.jobs.local;

import org.jspecify.annotations.NullMarked;
