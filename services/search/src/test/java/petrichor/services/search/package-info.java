/** Tests of the search service. */
@NullMarked
package petrichor.services.search;

import org.jspecify.annotations.NullMarked;
