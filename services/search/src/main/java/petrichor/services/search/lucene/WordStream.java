package petrichor.services.search.lucene;

import java.util.List;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.analysis.tokenattributes.PositionIncrementAttribute;

/** Terms for Lucene's index writer. Confined to one thread. */
final class WordStream extends TokenStream {
    /** Phrases do not match across the values of several fields. */
    static final int VALUE_GAP = 1_000;

    private final CharTermAttribute term = addAttribute(CharTermAttribute.class);
    private final PositionIncrementAttribute increment =
            addAttribute(PositionIncrementAttribute.class);
    private final List<Entry> entries;
    private int next;

    /**
     * @param increment of the position; 0 for the position of the term before it
     */
    record Entry(String term, int increment) {}

    WordStream(List<Entry> entries) {
        this.entries = entries;
    }

    @Override
    public boolean incrementToken() {
        if (next == entries.size()) {
            return false;
        }
        clearAttributes();
        Entry entry = entries.get(next++);
        term.append(entry.term());
        increment.setPositionIncrement(entry.increment());
        return true;
    }

    @Override
    public void reset() {
        next = 0;
    }
}
