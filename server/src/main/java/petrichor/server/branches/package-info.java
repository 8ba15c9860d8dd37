/** Branches and drops of databases over HTTP: {@link petrichor.server.branches.BranchPage}. */
@NullMarked
package petrichor.server.branches;

import org.jspecify.annotations.NullMarked;
