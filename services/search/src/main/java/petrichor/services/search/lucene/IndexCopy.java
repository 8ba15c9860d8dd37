package petrichor.services.search.lucene;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.SearcherFactory;
import org.apache.lucene.search.SearcherManager;
import org.apache.lucene.store.AlreadyClosedException;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FSDirectory;
import org.jspecify.annotations.Nullable;
import petrichor.base.MemoryBudget;
import petrichor.services.search.model.IndexSchema;
import petrichor.services.search.model.SearchDocument;
import petrichor.services.search.model.SearchLimits;
import petrichor.services.search.model.SearchRequest;
import petrichor.services.search.model.SearchResults;

/**
 * The Lucene copy of one index, in a folder or in memory. Changes are visible to the next search;
 * they are durable after {@link #commit}, which stores up to which change the copy is complete.
 *
 * <p>Thread-safe, except that changes and commits come from one thread at a time. A failure of the
 * disk or a damaged file throws {@link IOException}; the copy is then {@link #broken} and must be
 * opened again.
 */
public final class IndexCopy implements AutoCloseable {
    /** Of the mapping from documents to Lucene fields: another format is built again from rows. */
    private static final String FORMAT = "1";

    private static final String FORMAT_KEY = "petrichor.format";
    private static final String SEQUENCE_KEY = "petrichor.sequence";
    private static final String VERSION_KEY = "petrichor.version";

    /** Logs once that the vector module is missing; searches do not need it. */
    private static final Logger VECTOR_LOG =
            Logger.getLogger("org.apache.lucene.internal.vectorization.VectorizationProvider");

    static {
        VECTOR_LOG.setLevel(Level.SEVERE);
        IndexSearcher.setMaxClauseCount(4 * SearchLimits.CONDITIONS_MAX);
    }

    private final Directory directory;
    private final IndexWriter writer;
    private final SearcherManager searchers;
    private final DocumentMapping mapping = new DocumentMapping();

    /** The last change whose commit is durable. */
    private volatile Position committed;

    /** Changes made, and those that searches see. */
    private final AtomicLong changes = new AtomicLong();

    private volatile long seen;
    private final ReentrantLock refreshing = new ReentrantLock();
    private volatile @Nullable Throwable failure;

    /**
     * Up to which change a copy is complete.
     *
     * @param sequence number of the change
     * @param version of the commit that wrote it
     */
    public record Position(long sequence, long version) {
        public static final Position START = new Position(0, 0);
    }

    private IndexCopy(Directory directory, double bufferMegabytes) throws IOException {
        this.directory = directory;
        IndexWriterConfig config = new IndexWriterConfig();
        config.setRAMBufferSizeMB(bufferMegabytes);
        config.setCommitOnClose(false);
        this.writer = new IndexWriter(directory, config);
        this.committed = position(writer);
        this.searchers = new SearcherManager(writer, new Searchers());
    }

    /** No cache of queries: it would hold memory for all indexes of a process. */
    private static final class Searchers extends SearcherFactory {
        @Override
        public IndexSearcher newSearcher(IndexReader reader, @Nullable IndexReader previous) {
            return searcher(reader);
        }
    }

    private static IndexSearcher searcher(IndexReader reader) {
        IndexSearcher searcher = new IndexSearcher(reader);
        searcher.setQueryCache(null);
        return searcher;
    }

    /**
     * Opens or creates a copy.
     *
     * @param folder null for a copy in memory
     * @param bufferMegabytes heap for changes that are not yet written to the folder
     */
    public static IndexCopy open(@Nullable Path folder, double bufferMegabytes) throws IOException {
        Directory directory =
                folder == null ? new ByteBuffersDirectory() : FSDirectory.open(folder);
        try {
            return new IndexCopy(directory, bufferMegabytes);
        } catch (IOException | RuntimeException | Error e) {
            directory.close();
            throw e;
        }
    }

    private static Position position(IndexWriter writer) {
        Map<String, String> data = new HashMap<>();
        Iterable<Map.Entry<String, String>> stored = writer.getLiveCommitData();
        if (stored != null) {
            stored.forEach(entry -> data.put(entry.getKey(), entry.getValue()));
        }
        return FORMAT.equals(data.get(FORMAT_KEY))
                ? new Position(
                        Long.parseLong(data.getOrDefault(SEQUENCE_KEY, "0")),
                        Long.parseLong(data.getOrDefault(VERSION_KEY, "0")))
                : Position.START;
    }

    public Position committed() {
        return committed;
    }

    public int documents() {
        return writer.getDocStats().numDocs;
    }

    /** Removes everything, to be built again. */
    public void clear() throws IOException {
        run(
                () -> {
                    writer.deleteAll();
                    changes.incrementAndGet();
                });
    }

    public void put(SearchDocument document) throws IOException {
        run(
                () -> {
                    writer.updateDocument(
                            new Term(LuceneFields.ID, document.id()), mapping.map(document));
                    changes.incrementAndGet();
                });
    }

    /** Adds a document that the copy does not contain. */
    public void add(SearchDocument document) throws IOException {
        run(
                () -> {
                    writer.addDocument(mapping.map(document));
                    changes.incrementAndGet();
                });
    }

    public void delete(String id) throws IOException {
        run(
                () -> {
                    writer.deleteDocuments(new Term(LuceneFields.ID, id));
                    changes.incrementAndGet();
                });
    }

    /** Makes all changes so far durable. */
    public void commit(Position position) throws IOException {
        run(
                () -> {
                    writer.setLiveCommitData(
                            Map.of(
                                            FORMAT_KEY, FORMAT,
                                            SEQUENCE_KEY, Long.toString(position.sequence()),
                                            VERSION_KEY, Long.toString(position.version()))
                                    .entrySet());
                    writer.commit();
                    committed = position;
                });
    }

    /** Contains all changes made before the call. */
    public SearchResults search(IndexSchema schema, SearchRequest request, MemoryBudget memory)
            throws IOException {
        SearchResults[] results = new SearchResults[1];
        run(
                () -> {
                    refresh();
                    IndexSearcher acquired = searchers.acquire();
                    try {
                        IndexSearcher own = searcher(acquired.getIndexReader());
                        results[0] = new SearchRun(own, schema, request).run(memory);
                    } finally {
                        searchers.release(acquired);
                    }
                });
        return results[0];
    }

    /** Waits for a refresh in progress, which may have started before the caller's changes. */
    private void refresh() throws IOException {
        long wanted = changes.get();
        if (seen >= wanted) {
            return;
        }
        refreshing.lock();
        try {
            if (seen < wanted) {
                long all = changes.get();
                searchers.maybeRefreshBlocking();
                seen = all;
            }
        } finally {
            refreshing.unlock();
        }
    }

    private interface Step {
        void run() throws IOException;
    }

    private void run(Step step) throws IOException {
        try {
            step.run();
        } catch (UncheckedIOException e) {
            failure = e.getCause();
            throw e.getCause();
        } catch (AlreadyClosedException e) {
            failure = e;
            throw new IOException("the copy is closed", e);
        } catch (IOException e) {
            failure = e;
            throw e;
        }
    }

    /** Why the copy must be opened again; null if it works. */
    public @Nullable Throwable broken() {
        Throwable tragedy = writer.getTragicException();
        return tragedy == null ? failure : tragedy;
    }

    /** Changes after the last commit are lost. */
    @Override
    public void close() {
        try {
            searchers.close();
        } catch (IOException _) {
            // The reader is not needed anymore.
        }
        try {
            writer.rollback();
        } catch (IOException | RuntimeException _) {
            // A broken writer; the next open cleans up.
        }
        try {
            directory.close();
        } catch (IOException _) {
            // Nothing is written anymore.
        }
    }
}
