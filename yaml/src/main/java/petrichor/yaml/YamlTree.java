package petrichor.yaml;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.composer.Composer;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.parser.Parser;
import org.snakeyaml.engine.v2.parser.ParserImpl;
import org.snakeyaml.engine.v2.scanner.StreamReader;
import petrichor.base.PetrichorException;

/** Composes the tree of a file with one document, within limits. */
final class YamlTree {
    static final int TEXT_CHARACTERS_MAX = 1 << 20;

    /**
     * The library composes nested values recursively; this depth needs a few kilobytes of stack.
     */
    static final int DEPTH_MAX = 32;

    /** Of lists and mappings. An alias costs nothing by itself, but aliases of aliases multiply. */
    static final int ALIASES_MAX = 50;

    /** The text of all failures of a file. */
    private static final String WRONG = "{file}:{line} is not valid: {problem}.";

    private YamlTree() {}

    /** The root; empty if the file has no content. */
    static Optional<Node> compose(String file, String text) {
        if (text.length() > TEXT_CHARACTERS_MAX) {
            throw wrong(file, 1, "the file has more than " + TEXT_CHARACTERS_MAX + " characters");
        }
        LoadSettings settings =
                LoadSettings.builder()
                        .setLabel(file)
                        .setAllowDuplicateKeys(false)
                        .setMaxAliasesForCollections(ALIASES_MAX)
                        .build();
        try {
            Parser parser = new ParserImpl(settings, new StreamReader(settings, text));
            return new Composer(settings, new BoundedParser(file, parser)).getSingleNode();
        } catch (MarkedYamlEngineException malformed) {
            int at = malformed.getProblemMark().map(mark -> mark.getLine() + 1).orElse(1);
            String context = malformed.getContext();
            throw wrong(file, at, (context == null ? "" : context + ", ") + malformed.getProblem());
        } catch (YamlEngineException malformed) {
            throw wrong(file, 1, String.valueOf(malformed.getMessage()));
        }
    }

    static int line(@Nullable Node node) {
        return node == null ? 1 : node.getStartMark().map(mark -> mark.getLine() + 1).orElse(1);
    }

    /** Whether a failure names its file and line. */
    static boolean hasLine(PetrichorException failure) {
        return failure.staticText().equals(WRONG);
    }

    static PetrichorException wrong(String file, int line, String problem) {
        return PetrichorException.invalid(WRONG, "file", file, "line", line, "problem", problem);
    }

    /** Refuses deep nesting before the composer recurses into it. */
    private static final class BoundedParser implements Parser {
        private final String file;
        private final Parser parser;
        private int depth;

        BoundedParser(String file, Parser parser) {
            this.file = file;
            this.parser = parser;
        }

        @Override
        public boolean hasNext() {
            return parser.hasNext();
        }

        @Override
        public boolean checkEvent(Event.ID choice) {
            return parser.checkEvent(choice);
        }

        @Override
        public Event peekEvent() {
            return parser.peekEvent();
        }

        @Override
        public Event next() {
            Event event = parser.next();
            switch (event.getEventId()) {
                case SequenceStart, MappingStart -> depth++;
                case SequenceEnd, MappingEnd -> depth--;
                case Alias, Comment, DocumentEnd, DocumentStart, Scalar, StreamEnd, StreamStart -> {
                    // Does not nest.
                }
            }
            if (depth > DEPTH_MAX) {
                int line = event.getStartMark().map(mark -> mark.getLine() + 1).orElse(1);
                throw wrong(file, line, "more than " + DEPTH_MAX + " nested lists and mappings");
            }
            return event;
        }
    }
}
