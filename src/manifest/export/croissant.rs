//! Croissant 1.1 (<https://docs.mlcommons.org/croissant/docs/croissant-spec-1.1.html>): a `FileObject` with its SHA-256 for
//! each image, and a record for each sample with path, caption and size.
//!
//! URLs of the files are relative to the dataset's root, where the description belongs; it is not written there.

use std::io::{self, BufRead, Write};

use serde_json::{Map, Value, json};

use super::{Dataset, ExportError, Exported, plain, sha256, text};
use crate::manifest::{Reader, SampleLine};

pub(super) fn write<R: BufRead>(manifest: &mut Reader<R>, dataset: Dataset<'_>, out: &mut dyn Write) -> Result<Exported, ExportError> {
    let (mut exported, mut records) = (Exported::default(), Vec::new());
    let head = serde_json::to_string_pretty(&head(dataset.name)).map_err(io::Error::from)?;
    write!(out, "{},\n  \"distribution\": [", head.strip_suffix("\n}").unwrap_or(&head))?;
    for sample in &mut *manifest {
        let sample = sample?;
        let path = plain(&sample.path)?;
        out.write_all(if exported.samples == 0 { b"\n    " } else { b",\n    " })?;
        serde_json::to_writer(&mut *out, &file_object(&sample, &path)?).map_err(io::Error::from)?;
        let size = |side: Option<u32>| side.map_or(Value::Null, Value::from);
        records.push(json!({
            "samples/path": path,
            "samples/caption": text(&sample)?.unwrap_or_default(),
            "samples/width": size(sample.width),
            "samples/height": size(sample.height),
        }));
        exported.samples += 1;
    }
    write!(out, "\n  ],\n  \"recordSet\": [")?;
    // A record set without records is no valid one.
    if !records.is_empty() {
        serde_json::to_writer(&mut *out, &record_set(&records)).map_err(io::Error::from)?;
    }
    write!(out, "]\n}}\n")?;
    Ok(exported)
}

fn file_object(sample: &SampleLine, path: &str) -> Result<Value, ExportError> {
    Ok(json!({
        "@type": "cr:FileObject",
        "@id": path,
        "name": path,
        "contentUrl": path,
        "contentSize": format!("{} B", sample.bytes),
        "encodingFormat": media_type(sample.format.as_deref()),
        "sha256": sha256(sample)?,
    }))
}

fn record_set(records: &[Value]) -> Value {
    let field = |name: &str, kind: &str, description: &str| json!({"@type": "cr:Field", "@id": format!("samples/{name}"), "name": name, "description": description, "dataType": kind});
    json!({
        "@type": "cr:RecordSet",
        "@id": "samples",
        "name": "samples",
        "description": "One record for each sample.",
        "key": {"@id": "samples/path"},
        "field": [
            field("path", "sc:Text", "Path of the image below the root."),
            field("caption", "sc:Text", "Text of the caption; empty if there is none."),
            field("width", "sc:Integer", "Width as stored, in pixels."),
            field("height", "sc:Integer", "Height as stored, in pixels."),
        ],
        "data": records,
    })
}

/// The media type of a format as Pillow spells it.
fn media_type(format: Option<&str>) -> String {
    match format {
        Some("JPEG" | "MPO") => "image/jpeg".to_owned(),
        Some("JPEG2000") => "image/jp2".to_owned(),
        Some("ICO") => "image/vnd.microsoft.icon".to_owned(),
        Some(format @ ("PNG" | "WEBP" | "GIF" | "TIFF" | "BMP" | "AVIF" | "HEIF" | "JXL")) => format!("image/{}", format.to_lowercase()),
        _ => "application/octet-stream".to_owned(),
    }
}

fn head(name: &str) -> Map<String, Value> {
    let head = json!({
        "@context": {
            "@language": "en",
            "@vocab": "https://schema.org/",
            "citeAs": "cr:citeAs",
            "column": "cr:column",
            "conformsTo": "dct:conformsTo",
            "containedIn": "cr:containedIn",
            "cr": "http://mlcommons.org/croissant/",
            "rai": "http://mlcommons.org/croissant/RAI/",
            "data": {"@id": "cr:data", "@type": "@json"},
            "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
            "dct": "http://purl.org/dc/terms/",
            "equivalentProperty": "cr:equivalentProperty",
            "examples": {"@id": "cr:examples", "@type": "@json"},
            "extract": "cr:extract",
            "field": "cr:field",
            "fileProperty": "cr:fileProperty",
            "fileObject": "cr:fileObject",
            "fileSet": "cr:fileSet",
            "format": "cr:format",
            "includes": "cr:includes",
            "isArray": "cr:isArray",
            "arrayShape": "cr:arrayShape",
            "isLiveDataset": "cr:isLiveDataset",
            "jsonPath": "cr:jsonPath",
            "key": "cr:key",
            "md5": "cr:md5",
            "parentField": "cr:parentField",
            "path": "cr:path",
            "recordSet": "cr:recordSet",
            "references": "cr:references",
            "regex": "cr:regex",
            "repeated": "cr:repeated",
            "replace": "cr:replace",
            "samplingRate": "cr:samplingRate",
            "sc": "https://schema.org/",
            "separator": "cr:separator",
            "source": "cr:source",
            "subField": "cr:subField",
            "transform": "cr:transform",
        },
        "@type": "sc:Dataset",
        "name": name,
        "conformsTo": "http://mlcommons.org/croissant/1.1",
        "description": "Images with captions, described by walkaround.",
    });
    match head {
        Value::Object(head) => head,
        _ => Map::new(),
    }
}
