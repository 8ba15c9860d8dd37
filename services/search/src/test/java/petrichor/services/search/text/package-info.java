/** Tests of the search service. */
@NullMarked
package petrichor.services.search.text;

import org.jspecify.annotations.NullMarked;
