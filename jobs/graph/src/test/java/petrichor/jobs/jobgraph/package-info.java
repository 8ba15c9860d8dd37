@NullMarked
package petrichor.jobs.jobgraph;

import org.jspecify.annotations.NullMarked;
