package main

import (
	"encoding/json"
	"strings"
)

// The schemas below are written by hand, because what they hold does not survive a typed schema: integers beyond 2^53,
// decimals as they are spelled, $defs, and the order of their properties.

const refundIDInput = `{
  "type": "object",
  "properties": {"refundId": {"type": "string", "pattern": "^rf-[0-9]+$", "description": "Id of the refund, such as rf-1001."}},
  "required": ["refundId"],
  "additionalProperties": false
}`

const listRefundsInput = `{
  "type": "object",
  "properties": {
    "status": {"type": "string", "enum": ["any", "pending", "approved", "cancelled"], "default": "any", "description": "Only refunds in this state."},
    "cursor": {"type": "string", "description": "nextCursor of the page before; leave out for the first page."},
    "limit": {"type": "integer", "minimum": 1, "maximum": 50, "default": 20, "description": "Most refunds on a page."}
  },
  "additionalProperties": false
}`

const searchPaymentsInput = `{
  "type": "object",
  "properties": {
    "query": {"type": "string", "minLength": 1, "description": "Text to find in the id, the customer or the description."},
    "minimumMinor": {"type": "integer", "minimum": 0, "maximum": 9007199254740993, "default": 0, "description": "Least amount paid, in minor units."}
  },
  "required": ["query"],
  "additionalProperties": false
}`

const exportLedgerInput = `{
  "type": "object",
  "properties": {
    "format": {"type": "string", "enum": ["csv", "json"], "default": "csv"},
    "fromSeq": {"type": "integer", "minimum": 9007199254740993, "maximum": 4611686018427387904, "default": 9007199254740993, "description": "Number of the first entry to export."}
  },
  "additionalProperties": false
}`

const createRefundInput = `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "properties": {
    "paymentId": {"type": "string", "pattern": "^pay-[0-9]+$", "description": "Payment to give money back from."},
    "reason": {"type": "string", "enum": REASONS, "description": "Why the money goes back."},
    "total": {"$ref": "#/$defs/money", "description": "Sum of the lines."},
    "lines": {
      "type": "array",
      "minItems": 1,
      "maxItems": 100,
      "items": {
        "type": "object",
        "properties": {
          "sku": {"type": "string", "minLength": 1},
          "quantity": {"type": "integer", "minimum": 1, "maximum": 1000},
          "amount": {"$ref": "#/$defs/money"}
        },
        "required": ["sku", "quantity", "amount"],
        "additionalProperties": false
      }
    },
    "feePercent": {"type": "number", "minimum": 0, "maximum": 12.50, "multipleOf": 0.01, "default": 0.25, "description": "Handling fee, in percent of the total."},
    "destination": {
      "type": "object",
      "properties": {
        "method": {"type": "string", "enum": ["original_payment", "store_credit"]},
        "reference": {"type": "string"}
      },
      "required": ["method"],
      "additionalProperties": false
    },
    "requestKey": {"type": "string", "minLength": 8, "maxLength": 64, "description": "The same key with the same request returns the refund made before."}
  },
  "required": ["paymentId", "reason", "total", "lines", "destination"],
  "additionalProperties": false,
  "$defs": {
    "money": {
      "type": "object",
      "properties": {
        "amountMinor": {"type": "integer", "minimum": 1, "maximum": 9007199254740993, "description": "Amount in the minor unit of the currency."},
        "currency": {"type": "string", "enum": ["EUR", "USD", "JPY"]}
      },
      "required": ["amountMinor", "currency"],
      "additionalProperties": false
    }
  }
}`

const setRefundNoteInput = `{
  "type": "object",
  "properties": {
    "refundId": {"type": "string", "pattern": "^rf-[0-9]+$"},
    "text": {"type": "string", "minLength": 1, "maxLength": 500},
    "author": {"type": "string", "description": "Who writes the note."}
  },
  "required": REQUIRED,
  "additionalProperties": false
}`

const refundOutput = `{
  "type": "object",
  "properties": {
    "id": {"type": "string"},
    "paymentId": {"type": "string"},
    "customerId": {"type": "string"},
    "status": {"type": "string", "enum": ["pending", "approved", "cancelled"]},
    "reason": {"type": "string"},
    "total": {"$ref": "#/$defs/money"},FEE
    "lines": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {"sku": {"type": "string"}, "quantity": {"type": "integer"}, "amount": {"$ref": "#/$defs/money"}},
        "required": ["sku", "quantity", "amount"]
      }
    },
    "destination": {
      "type": "object",
      "properties": {"method": {"type": "string"}, "reference": {"type": "string"}},
      "required": ["method"]
    },
    "note": {
      "type": "object",
      "properties": {"text": {"type": "string"}, "author": {"type": "string"}},
      "required": ["text", "author"]
    },
    "ledgerSeq": {"type": "integer", "minimum": 9007199254740993}
  },
  "required": ["id", "paymentId", "customerId", "status", "reason", "total", "lines", "destination", "ledgerSeq"],
  "$defs": {
    "money": {
      "type": "object",
      "properties": {"amountMinor": {"type": "integer", "maximum": 9007199254740993}, "currency": {"type": "string"}},
      "required": ["amountMinor", "currency"]
    }
  }
}`

const feeProperty = `
    "feeMinor": {"type": "integer", "minimum": 0, "description": "Handling fee kept by the shop, in minor units."},`

// schemaText puts what a surface decides into a schema. Without blanks it is the schema itself.
func schemaText(schema string, blanks ...string) json.RawMessage {
	return json.RawMessage(strings.NewReplacer(blanks...).Replace(schema))
}

// jsonList returns names as a JSON array. The names are this program's own, and plain.
func jsonList(names []string) string {
	return `["` + strings.Join(names, `", "`) + `"]`
}
