/** Pages for operators: databases, indexes, servers of a cluster, logs, tokens, support. */
@NullMarked
package petrichor.server.pages;

import org.jspecify.annotations.NullMarked;
