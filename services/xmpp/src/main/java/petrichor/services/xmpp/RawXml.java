package petrichor.services.xmpp;

import java.io.StringReader;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.jivesoftware.smack.packet.ExtensionElement;
import org.jivesoftware.smack.packet.XmlEnvironment;
import petrichor.services.xmpp.XmppProblem.Reason;

/**
 * XML elements that an app puts into a message. Because the text is sent as it is, it must be well
 * formed on its own: it can neither leave the message nor contain entities.
 */
record RawXml(String text) implements ExtensionElement {
    private static final String WRAPPER = "raw";

    RawXml {
        check(text);
    }

    private static void check(String text) {
        XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        try {
            XMLStreamReader reader =
                    factory.createXMLStreamReader(
                            new StringReader(
                                    "<"
                                            + WRAPPER
                                            + " xmlns='jabber:client'>"
                                            + text
                                            + "</"
                                            + WRAPPER
                                            + ">"));
            if (elements(reader) == 0) {
                throw new XmppProblem(Reason.NO_BODY, "the raw XML contains no element");
            }
        } catch (XMLStreamException invalid) {
            throw new XmppProblem(
                    Reason.INVALID_XML, "the raw XML is not well-formed: " + invalid.getMessage());
        }
    }

    private static int elements(XMLStreamReader reader) throws XMLStreamException {
        int depth = 0;
        int elements = 0;
        while (reader.hasNext()) {
            switch (reader.next()) {
                case XMLStreamConstants.START_ELEMENT -> {
                    depth++;
                    elements++;
                    require(
                            depth <= XmppLimits.XML_DEPTH_MAX,
                            "the elements of the raw XML are nested too deeply");
                }
                case XMLStreamConstants.END_ELEMENT -> depth--;
                case XMLStreamConstants.CHARACTERS, XMLStreamConstants.CDATA ->
                        require(
                                depth > 1 || reader.isWhiteSpace(),
                                "the raw XML must consist of elements");
                case XMLStreamConstants.SPACE, XMLStreamConstants.END_DOCUMENT -> {}
                default ->
                        require(
                                false,
                                "the raw XML contains a comment, an instruction or an entity");
            }
        }
        return elements - 1;
    }

    private static void require(boolean valid, String detail) {
        if (!valid) {
            throw new XmppProblem(Reason.INVALID_XML, detail);
        }
    }

    @Override
    public String getElementName() {
        return WRAPPER;
    }

    @Override
    public String getNamespace() {
        return "petrichor:xmpp:raw";
    }

    @Override
    public CharSequence toXML(XmlEnvironment environment) {
        return text;
    }
}
