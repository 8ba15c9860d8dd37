/** Tests of the search service. */
@NullMarked
package petrichor.services.search.expression;

import org.jspecify.annotations.NullMarked;
