/**
 * The Lucene copy of an index: documents as Lucene fields, conditions as Lucene queries, sort keys,
 * facets and cursors. Of Lucene, other packages know only the stemmers. Its classes load with the
 * first use of an index.
 */
@NullMarked
package petrichor.services.search.lucene;

import org.jspecify.annotations.NullMarked;
