package petrichor.services.search.lucene;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.apache.lucene.index.BinaryDocValues;
import org.apache.lucene.index.DocValues;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.ReaderUtil;
import org.apache.lucene.index.StoredFields;
import org.apache.lucene.search.FieldDoc;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.Sort;
import org.apache.lucene.search.SortField;
import org.apache.lucene.search.TopFieldCollector;
import org.apache.lucene.search.TopFieldCollectorManager;
import org.apache.lucene.search.TopFieldDocs;
import org.apache.lucene.util.BytesRef;
import org.jspecify.annotations.Nullable;
import petrichor.base.Cancellation;
import petrichor.base.ErrorCode;
import petrichor.base.MemoryBudget;
import petrichor.base.PetrichorException;
import petrichor.services.search.expression.DocumentExpression;
import petrichor.services.search.expression.Expression;
import petrichor.services.search.expression.ExpressionParser;
import petrichor.services.search.model.DocumentCodec;
import petrichor.services.search.model.FieldValue;
import petrichor.services.search.model.IndexSchema;
import petrichor.services.search.model.SearchDocument;
import petrichor.services.search.model.SearchField;
import petrichor.services.search.model.SearchLimits;
import petrichor.services.search.model.SearchRequest;
import petrichor.services.search.model.SearchRequest.Cursors;
import petrichor.services.search.model.SearchRequest.Page;
import petrichor.services.search.model.SearchRequest.Scorer;
import petrichor.services.search.model.SearchResults;
import petrichor.services.search.model.SearchResults.FacetCount;
import petrichor.services.search.model.SearchResults.Hit;
import petrichor.services.search.query.QueryParser;

/** One execution of a search. Confined to one thread. */
final class SearchRun {
    private final IndexSearcher searcher;
    private final SearchRequest request;
    private final Query query;
    private final Sort sort;
    private final CursorCodec cursors;
    private final List<NamedExpression> expressions;

    private record NamedExpression(String name, Expression expression) {}

    SearchRun(IndexSearcher searcher, IndexSchema schema, SearchRequest request) {
        this.searcher = searcher;
        this.request = request;
        QueryTranslation translation =
                new QueryTranslation(schema, request.scorer() == Scorer.RESCORING_MATCH);
        this.query =
                translation.refined(
                        translation.query(QueryParser.parse(request.query())),
                        request.facets().refinements());
        this.sort = SortTranslation.sort(request, schema);
        this.cursors = new CursorCodec(request);
        this.expressions =
                request.projection().expressions().stream()
                        .map(
                                named ->
                                        new NamedExpression(
                                                named.name(),
                                                ExpressionParser.parse(named.expression())))
                        .toList();
    }

    /**
     * @param memory for the documents of the page, until they are returned
     */
    SearchResults run(MemoryBudget memory) throws IOException {
        Cancellation cancellation = Cancellation.current();
        if (cancellation != null) {
            searcher.setTimeout(() -> cancellation.reasonToStop() != null);
        }
        Page page = request.page();
        int counted = request.facets().counted() ? request.facets().depth() : 0;
        FieldDoc after =
                page.cursor() == null ? null : cursors.decode(page.cursor(), sort.getSort().length);
        int from = after == null ? page.offset() : 0;
        int until = from + page.limit();
        TopFieldDocs found = top(after, after == null ? Math.max(until + 1, counted) : until + 1);
        List<FacetCount> facets = List.of();
        if (counted > 0) {
            facets = facets(after == null ? found : top(null, counted), counted);
        }
        ScoreDoc[] shown =
                Arrays.copyOfRange(
                        found.scoreDocs,
                        Math.min(from, found.scoreDocs.length),
                        Math.min(until, found.scoreDocs.length));
        if (request.scorer() != Scorer.NONE) {
            TopFieldCollector.populateScores(shown, searcher, query);
        }
        boolean more = found.scoreDocs.length > until && shown.length > 0;
        String cursor =
                more && page.cursors() == Cursors.SINGLE
                        ? cursors.encode((FieldDoc) shown[shown.length - 1])
                        : null;
        return new SearchResults(found.totalHits.value(), hits(shown, memory), cursor, facets);
    }

    private TopFieldDocs top(@Nullable FieldDoc after, int count) throws IOException {
        int hits = Math.clamp(count, 1, Math.max(1, searcher.getIndexReader().maxDoc()));
        TopFieldDocs found =
                searcher.search(
                        query, new TopFieldCollectorManager(sort, hits, after, Integer.MAX_VALUE));
        if (searcher.timedOut()) {
            Cancellation.checkCurrent();
            throw PetrichorException.of(
                    ErrorCode.DEADLINE_EXCEEDED, "The search took longer than its deadline.");
        }
        return found;
    }

    private List<FacetCount> facets(TopFieldDocs found, int depth) throws IOException {
        ScoreDoc[] top = Arrays.copyOf(found.scoreDocs, Math.min(depth, found.scoreDocs.length));
        Integer[] byDocument = new Integer[top.length];
        Arrays.setAll(byDocument, position -> position);
        Arrays.sort(byDocument, Comparator.comparingInt(position -> top[position].doc));
        List<LeafReaderContext> leaves = searcher.getIndexReader().leaves();
        FacetCounting counting = new FacetCounting(request.facets());
        BinaryDocValues values = null;
        int leaf = -1;
        for (int position : byDocument) {
            int document = top[position].doc;
            int inLeaf = ReaderUtil.subIndex(document, leaves);
            if (values == null || inLeaf != leaf) {
                leaf = inLeaf;
                values = DocValues.getBinary(leaves.get(leaf).reader(), LuceneFields.FACETS);
            }
            if (values.advanceExact(document - leaves.get(leaf).docBase)) {
                BytesRef encoded = values.binaryValue();
                counting.add(
                        DocumentCodec.decodeFacets(encoded.bytes, encoded.offset, encoded.length),
                        position);
            }
        }
        return counting.result();
    }

    private List<Hit> hits(ScoreDoc[] shown, MemoryBudget memory) throws IOException {
        List<Hit> hits = new ArrayList<>();
        StoredFields stored = searcher.storedFields();
        long bytes = 0;
        try (MemoryBudget.Reservation reserved = memory.reservation()) {
            for (ScoreDoc result : shown) {
                byte[] encoded = encoded(stored, (FieldDoc) result);
                bytes += encoded.length;
                if (bytes > SearchLimits.RESPONSE_BYTES_MAX) {
                    throw PetrichorException.of(
                            ErrorCode.RESOURCE_EXHAUSTED,
                            "The results have more than {bytesMax} bytes; ask for fewer results.",
                            "bytesMax",
                            SearchLimits.RESPONSE_BYTES_MAX);
                }
                if (!reserved.add(encoded.length)) {
                    throw PetrichorException.of(
                            ErrorCode.RESOURCE_EXHAUSTED,
                            "The results of the running searches do not fit in memory; retry, or"
                                    + " ask for fewer results.");
                }
                hits.add(hit(encoded, (FieldDoc) result));
                Cancellation.checkCurrent();
            }
        }
        return hits;
    }

    /** Empty if only ids are returned. */
    private byte[] encoded(StoredFields stored, FieldDoc result) throws IOException {
        if (request.projection().idsOnly() && expressions.isEmpty()) {
            return new byte[0];
        }
        BytesRef encoded =
                stored.document(result.doc, Set.of(LuceneFields.DOCUMENT))
                        .getBinaryValue(LuceneFields.DOCUMENT);
        if (encoded == null) {
            throw new IllegalStateException("each Lucene document stores its document");
        }
        return Arrays.copyOfRange(encoded.bytes, encoded.offset, encoded.offset + encoded.length);
    }

    private Hit hit(byte[] encoded, FieldDoc result) {
        Double score = request.scorer() == Scorer.NONE ? null : (double) result.score;
        String cursor =
                request.page().cursors() == Cursors.PER_RESULT ? cursors.encode(result) : null;
        if (encoded.length == 0) {
            SortField[] fields = sort.getSort();
            String id = ((BytesRef) result.fields[fields.length - 1]).utf8ToString();
            long rank = (Long) result.fields[fields.length - 2];
            SearchDocument bare =
                    new SearchDocument(
                            id, SearchDocument.DEFAULT_LANGUAGE, (int) rank, List.of(), List.of());
            return new Hit(bare, List.of(), score, cursor);
        }
        SearchDocument document = DocumentCodec.decode(encoded);
        DocumentExpression values = new DocumentExpression(document, score == null ? 0 : score);
        List<SearchField> computed = new ArrayList<>();
        for (NamedExpression named : expressions) {
            FieldValue value = values.valueOf(named.expression());
            if (value != null) {
                computed.add(new SearchField(named.name(), value));
            }
        }
        return new Hit(projected(document), computed, score, cursor);
    }

    private SearchDocument projected(SearchDocument document) {
        List<String> names = request.projection().fields();
        boolean idsOnly = request.projection().idsOnly();
        if (names.isEmpty() && !idsOnly) {
            return document;
        }
        List<SearchField> fields =
                idsOnly
                        ? List.of()
                        : document.fields().stream()
                                .filter(field -> names.contains(field.name()))
                                .toList();
        return new SearchDocument(
                document.id(), document.language(), document.rank(), fields, List.of());
    }
}
