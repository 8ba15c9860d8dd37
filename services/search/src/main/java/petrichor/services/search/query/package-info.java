/** App Engine's query language: from a query string to a tree of conditions. */
@NullMarked
package petrichor.services.search.query;

import org.jspecify.annotations.NullMarked;
