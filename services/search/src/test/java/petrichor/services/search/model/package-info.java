/** Tests of the search service. */
@NullMarked
package petrichor.services.search.model;

import org.jspecify.annotations.NullMarked;
