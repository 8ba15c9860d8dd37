/**
 * Groups of vertices with few edges between them, found by streaming and by bisection, and ranges
 * of them for nodes.
 */
@NullMarked
package petrichor.placement.partition;

import org.jspecify.annotations.NullMarked;
