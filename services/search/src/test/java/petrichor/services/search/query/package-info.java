/** Tests of the search service. */
@NullMarked
package petrichor.services.search.query;

import org.jspecify.annotations.NullMarked;
