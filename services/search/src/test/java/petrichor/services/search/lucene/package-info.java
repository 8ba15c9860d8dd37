/** Tests of the search service. */
@NullMarked
package petrichor.services.search.lucene;

import org.jspecify.annotations.NullMarked;
