/** Tests of the commands in this package. */
@NullMarked
package petrichor.cli.jobs;

import org.jspecify.annotations.NullMarked;
