/**
 * Full-text search as App Engine defines it: documents in indexes of a project, a query language,
 * sorting, facets and cursors. Start reading at {@link petrichor.services.search.SearchService}.
 *
 * <p>The documents are rows of the project's database, and the rows are the truth ({@link
 * petrichor.services.search.SearchRows}). For each index in use, the owner of the database has a
 * copy in Lucene, in a local folder or in memory ({@link petrichor.services.search.OpenIndex}). A
 * write commits the rows together with a numbered change, which lists the ids of the documents, and
 * then updates the copy, before it is acknowledged. The copy is made durable later and stores the
 * number of the last change that it contains: after a crash, or when another server becomes the
 * owner, the changes after it are applied; a copy that is lost, damaged or too old is built again
 * from the rows ({@link petrichor.services.search.Recovery}).
 */
@NullMarked
package petrichor.services.search;

import org.jspecify.annotations.NullMarked;
