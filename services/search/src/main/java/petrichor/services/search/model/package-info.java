/** Documents, requests and results of the search service, and the rules that they obey. */
@NullMarked
package petrichor.services.search.model;

import org.jspecify.annotations.NullMarked;
