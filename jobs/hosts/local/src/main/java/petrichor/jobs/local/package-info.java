/**
 * Jobs without a server: {@link petrichor.jobs.local.Jobs#local()} compiles a plan and runs it in
 * this process. Here the compiler and the engine meet, which do not know each other; between the
 * parts of a program with iterations, records are kept in files ({@link
 * petrichor.jobs.local.IntermediateRecords}).
 */
@NullMarked
package petrichor.jobs.local;

import org.jspecify.annotations.NullMarked;
